import { createHash } from 'node:crypto';

/** Numbers that depend only on the words that it is made of: the generator sfc32, seeded by their SHA-256. */
export class Random {
  private readonly state: Uint32Array;

  constructor(...words: readonly (number | string)[]) {
    const hash = createHash('sha256').update(words.join('|')).digest();
    this.state = Uint32Array.from([0, 4, 8, 12], (at) => hash.readUInt32LE(at));
  }

  /** An integer from 0, below `limit`. */
  below(limit: number): number {
    const [a = 0, b = 0, c = 0, counter = 0] = this.state;
    const sum = (a + b + counter) >>> 0;
    this.state.set([b ^ (b >>> 9), c + (c << 3), ((c << 21) | (c >>> 11)) + sum, counter + 1]);
    return Math.floor((sum / 2 ** 32) * limit);
  }

  /** An integer, both ends included. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  digits(count: number): string {
    return Array.from({ length: count }, () => this.below(10)).join('');
  }

  shuffle<Item>(items: readonly Item[]): Item[] {
    const mixed = [...items];
    for (let last = mixed.length - 1; last > 0; last--) {
      const at = this.below(last + 1);
      [mixed[last], mixed[at]] = [mixed[at] as Item, mixed[last] as Item];
    }
    return mixed;
  }
}
