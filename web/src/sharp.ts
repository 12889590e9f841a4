// Canvases are drawn with at least two dots per pixel, or they would be blurred on paper. uPlot asks for this
// number when it is loaded, so this file comes first.
const dots = Math.max(2, window.devicePixelRatio);
Object.defineProperty(window, "devicePixelRatio", { get: () => dots });
export {};
