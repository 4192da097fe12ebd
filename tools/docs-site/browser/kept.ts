/** A choice that the browser remembers; one that keeps nothing forgets it. */
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
    // It holds for this page, then.
  }
}
