// Pages that are complete as HTML (advice, collectives): scripts only add copying.
import { announce } from "./dom";

// Without a clipboard it selects the text, so that Ctrl+C copies it.
async function copyText(element: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(element.textContent ?? "");
    return "Copied";
  } catch {
    getSelection()?.selectAllChildren(element);
    return "Press Ctrl+C";
  }
}

export function addCopying(page: ParentNode): void {
  for (const button of page.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    const text = document.getElementById(button.dataset["copy"]!);
    if (!text) continue;
    button.hidden = false;
    button.addEventListener("click", () => {
      void copyText(text).then((said) => {
        button.textContent = said;
        announce(said);
      });
    });
  }
}
