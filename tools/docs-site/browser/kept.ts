/** Stores a choice in the browser, if the browser allows it. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(`docs-${name}`);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`docs-${name}`, value);
  } catch {
    // The choice then holds for this page only.
  }
}
