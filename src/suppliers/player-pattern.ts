/**
 * What a supplier says that a player looks like: a regular expression of somebody else's. It is never given to an engine
 * that backtracks, which a hostile or careless one could keep busy for hours. Read here is the part of the syntax that
 * such patterns need: `^` and `$` around all of it, characters, classes, groups, alternatives, and counts.
 */
type Node =
  | { kind: 'one'; matches: (character: string) => boolean }
  | { kind: 'all'; parts: Node[] }
  | { kind: 'any'; choices: Node[] }
  | { kind: 'many'; node: Node; least: number; most: number };

const MAX_LENGTH = 200;
const MAX_COUNT = 1_000;
const MAX_DEPTH = 4;
/** How many patterns are kept in memory; a catalogue has some dozens. */
const MAX_KEPT = 1_000;

class Unreadable extends Error {}

/**
 * A pattern in the form in which it is kept: without the slashes that some write around it.
 * @returns null for what is no pattern, or uses more of the syntax than is read here.
 */
export function readPattern(text: string | undefined): string | null {
  const pattern = /^\/(.*)\/$/s.exec(text ?? '')?.[1] ?? text ?? '';
  return parsed(pattern) ? pattern : null;
}

/** Whether a player may look like this. A pattern that can't be read excludes nobody. */
export function fitsPattern(pattern: string, player: string): boolean {
  const node = parsed(pattern);
  if (!node) return true;
  const characters = [...player];
  return advance(node, characters, new Set([0])).has(characters.length);
}

const kept = new Map<string, Node | null>();

function parsed(pattern: string): Node | null {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  let node: Node | null = null;
  try {
    node = new PatternReader(pattern).read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(pattern, node);
  return node;
}

/** Where a match of the node may end that begins at one of these places: no place is ever looked at twice in a step. */
function advance(node: Node, characters: readonly string[], from: ReadonlySet<number>): Set<number> {
  switch (node.kind) {
    case 'one':
      return new Set([...from].flatMap((at) => (node.matches(characters[at] ?? '') ? [at + 1] : [])));
    case 'all':
      return node.parts.reduce<Set<number>>((at, part) => advance(part, characters, at), new Set(from));
    case 'any':
      return new Set(node.choices.flatMap((choice) => [...advance(choice, characters, from)]));
    case 'many':
      return advanceMany(node, characters, from);
  }
}

function advanceMany(
  { node, least, most }: Extract<Node, { kind: 'many' }>,
  characters: readonly string[],
  from: ReadonlySet<number>,
): Set<number> {
  const ends = new Set(least === 0 ? from : []);
  let at = new Set(from);
  for (let count = 1; count <= most && at.size > 0; count++) {
    at = advance(node, characters, at);
    if (count < least) continue;
    // Beyond the least, what was reached before leads nowhere new.
    at = new Set([...at].filter((place) => !ends.has(place)));
    for (const place of at) ends.add(place);
  }
  return ends;
}

const DIGIT = (character: string): boolean => /^[0-9]$/.test(character);
const WORD = (character: string): boolean => /^[0-9A-Za-z_]$/.test(character);
const SPACE = (character: string): boolean => /^\s$/.test(character);
const CLASSES: Record<string, (character: string) => boolean> = { d: DIGIT, w: WORD, s: SPACE };

/** Reads a pattern from its beginning to its end. */
class PatternReader {
  private at = 0;
  private readonly characters: readonly string[];

  constructor(pattern: string) {
    this.characters = [...pattern];
    if (this.characters.length > MAX_LENGTH) throw new Unreadable();
  }

  read(): Node {
    this.expect('^');
    const node = this.choices(0);
    this.expect('$');
    // With a choice outside of all groups, `^` and `$` would belong to one side of it only.
    if (this.at < this.characters.length || node.kind === 'any') throw new Unreadable();
    return node;
  }

  private choices(depth: number): Node {
    if (depth > MAX_DEPTH) throw new Unreadable();
    const choices = [this.sequence(depth)];
    while (this.take('|')) choices.push(this.sequence(depth));
    return choices.length === 1 && choices[0] ? choices[0] : { kind: 'any', choices };
  }

  private sequence(depth: number): Node {
    const parts: Node[] = [];
    while (!['|', ')', '$', undefined].includes(this.next)) parts.push(this.counted(this.atom(depth)));
    return { kind: 'all', parts };
  }

  private atom(depth: number): Node {
    if (this.take('(')) {
      if (this.take('?')) this.expect(':');
      const node = this.choices(depth + 1);
      this.expect(')');
      return node;
    }
    if (this.take('[')) return { kind: 'one', matches: this.classOf() };
    if (this.take('.')) return { kind: 'one', matches: (character) => character !== '' };
    if (this.take('\\')) return { kind: 'one', matches: this.escaped() };
    return { kind: 'one', matches: is(this.literal()) };
  }

  private counted(node: Node): Node {
    if (this.take('*')) return this.once({ kind: 'many', node, least: 0, most: Infinity });
    if (this.take('+')) return this.once({ kind: 'many', node, least: 1, most: Infinity });
    if (this.take('?')) return this.once({ kind: 'many', node, least: 0, most: 1 });
    if (!this.take('{')) return node;
    const least = this.number();
    const most = this.take(',') ? (this.next === '}' ? Infinity : this.number()) : least;
    this.expect('}');
    return this.once({ kind: 'many', node, least, most });
  }

  /** No count follows another one. */
  private once(node: Node): Node {
    if (['*', '+', '?', '{'].includes(this.next ?? '')) throw new Unreadable();
    return node;
  }

  private classOf(): (character: string) => boolean {
    const isNegated = this.take('^');
    const tests: ((character: string) => boolean)[] = [];
    while (this.next !== ']') tests.push(this.rangeOf());
    this.expect(']');
    return (character) => character !== '' && tests.some((test) => test(character)) !== isNegated;
  }

  private rangeOf(): (character: string) => boolean {
    if (this.take('\\')) return this.escaped();
    const from = this.shift();
    if (from === '[' || this.next !== '-' || this.characters[this.at + 1] === ']') return is(from);
    this.expect('-');
    const to = this.shift();
    if (to === '\\' || to < from) throw new Unreadable();
    return (character) => character.length > 0 && character >= from && character <= to;
  }

  private escaped(): (character: string) => boolean {
    const character = this.shift();
    const test = CLASSES[character];
    if (test) return test;
    // Other letters and digits have meanings that are not read here.
    if (WORD(character)) throw new Unreadable();
    return is(character);
  }

  private literal(): string {
    const character = this.shift();
    if ('^$*+?{}[]()|\\'.includes(character)) throw new Unreadable();
    return character;
  }

  private number(): number {
    let digits = '';
    while (DIGIT(this.next ?? '')) digits += this.shift();
    const number = Number(digits);
    if (digits === '' || number > MAX_COUNT) throw new Unreadable();
    return number;
  }

  private get next(): string | undefined {
    return this.characters[this.at];
  }

  private shift(): string {
    const character = this.next;
    if (character === undefined) throw new Unreadable();
    this.at++;
    return character;
  }

  private take(character: string): boolean {
    if (this.next !== character) return false;
    this.at++;
    return true;
  }

  private expect(character: string): void {
    if (!this.take(character)) throw new Unreadable();
  }
}

const is =
  (expected: string) =>
  (character: string): boolean =>
    character === expected;
