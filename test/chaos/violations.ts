export type Book = 'clients' | 'postgresql' | 'supplier' | 'receivers' | 'processes';

/** Something that must not be, and what shows it. */
export interface Violation {
  book: Book;
  what: string;
  evidence: unknown;
}

const MAX_OF_A_KIND = 5;

/** Collects violations; of each kind only the first few are kept with their evidence. */
export class Violations {
  readonly found: Violation[] = [];
  private readonly counts = new Map<string, number>();

  add(book: Book, what: string, evidence: unknown): void {
    const key = `${book}: ${what}`;
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    if (count <= MAX_OF_A_KIND) this.found.push({ book, what, evidence });
  }

  /** How often each kind was found. */
  get summary(): [kind: string, count: number][] {
    return [...this.counts];
  }
}

/** One violation in a few lines. */
export function describe({ book, what, evidence }: Violation): string {
  const text = JSON.stringify(
    evidence,
    (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    2,
  );
  return `VIOLATION (${book}) ${what}\n${text.replaceAll(/^/gm, '    ')}`;
}
