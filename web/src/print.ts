// Opens all details while printing, because paper cannot.

function isOnPaper(details: HTMLDetailsElement): boolean {
  return !details.open;
}

export function openForPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  const open = () => {
    const closed = [...document.querySelectorAll("details")].filter(isOnPaper);
    for (const details of closed) details.open = true;
    opened.push(...closed);
  };
  const close = () => {
    for (const details of opened) details.open = false;
    opened = [];
  };
  addEventListener("beforeprint", open);
  addEventListener("afterprint", close);
  matchMedia("print").addEventListener("change", (event) => (event.matches ? open() : close()));
}
