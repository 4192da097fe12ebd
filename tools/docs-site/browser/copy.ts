const WORDS =
  document.documentElement.lang === 'th' ? { copy: 'คัดลอก', copied: 'คัดลอกแล้ว' } : { copy: 'Copy', copied: 'Copied' };
const SHOWN_MS = 1500;

/** Adds a copy button to each block of code, if the browser lets a page write to the clipboard. */
export function addCopyButtons(): void {
  if (!('clipboard' in navigator)) return;
  for (const figure of document.querySelectorAll('figure.code')) {
    const code = figure.querySelector('code');
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = WORDS.copy;
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(code?.textContent ?? '').then(() => {
        button.textContent = WORDS.copied;
        setTimeout(() => (button.textContent = WORDS.copy), SHOWN_MS);
      });
    });
    figure.append(button);
  }
}
