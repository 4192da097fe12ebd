export type Book = 'clients' | 'postgresql' | 'supplier' | 'receivers' | 'processes';

/** A broken rule, with its evidence. */
export interface Violation {
  book: Book;
  what: string;
  evidence: unknown;
}

const MAX_OF_A_KIND = 5;

/** Collects violations. It keeps the evidence only of the first few of each kind. */
export class Violations {
  readonly found: Violation[] = [];
  private readonly counts = new Map<string, number>();

  add(book: Book, what: string, evidence: unknown): void {
    const key = `${book}: ${what}`;
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    if (count <= MAX_OF_A_KIND) this.found.push({ book, what, evidence });
  }

  /** The number of violations of each kind. */
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
