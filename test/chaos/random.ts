/** Random numbers of a seed. Streams with different labels don't influence each other. */
export class Random {
  private state: number;

  constructor(private readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** A separate stream for a label, the same one each time. */
  fork(label: string): Random {
    let hash = 0x811c9dc5 ^ this.seed;
    for (let at = 0; at < label.length; at++) hash = Math.imul(hash ^ label.charCodeAt(at), 0x01000193);
    return new Random(hash);
  }

  /** From 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, both ends included. */
  int(lowest: number, highest: number): number {
    return lowest + Math.floor(this.next() * (highest - lowest + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.int(0, values.length - 1)] as Value;
  }

  /** One of the values, each as likely as its weight says. */
  weighted<Value>(choices: readonly (readonly [weight: number, value: Value])[]): Value {
    let left = this.next() * choices.reduce((total, [weight]) => total + weight, 0);
    for (const [weight, value] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return (choices.at(-1) as (typeof choices)[number])[1];
  }

  shuffle<Value>(values: readonly Value[]): Value[] {
    const shuffled = [...values];
    for (let at = shuffled.length - 1; at > 0; at--) {
      const other = this.int(0, at);
      [shuffled[at], shuffled[other]] = [shuffled[other] as Value, shuffled[at] as Value];
    }
    return shuffled;
  }
}
