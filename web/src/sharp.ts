// Canvases have at least two pixels per CSS pixel, otherwise they would be blurred in print. uPlot reads this
// number when it is loaded, so this file comes first.
const dots = Math.max(2, window.devicePixelRatio);
Object.defineProperty(window, "devicePixelRatio", { get: () => dots });
export {};
