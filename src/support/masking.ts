import type { Permission } from '../operators/roles.js';

/** The permissions of the operator who reads. */
export interface Viewer {
  may(permission: Permission): boolean;
}

export interface Player {
  user_id: string;
  server_id: string | null;
  character_id: string | null;
}

const UNMASKED_CHARACTERS = 3;
/** The number of nested encodings that a search decodes. */
const MAX_ENCODINGS = 3;

/** A mask shows the last characters. */
const maskedText = (text: string): string => `…${[...text].slice(-UNMASKED_CHARACTERS).join('')}`;

/** Whether a mask would show a text whole. */
export const isTooShortToMask = (text: string): boolean => [...text].length <= UNMASKED_CHARACTERS;

/** Masks a text, unless the viewer may read players. */
export const masked = (text: string, viewer: Viewer): string => (viewer.may('players.read') ? text : maskedText(text));

export const maskedIfAny = (text: string | null, viewer: Viewer): string | null =>
  text === null ? null : masked(text, viewer);

/** Masks the query of a webhook's address, which may hold a secret, unless the viewer may replay deliveries. */
export function maskedAddress(url: string, viewer: Viewer): string {
  const start = url.indexOf('?');
  return start < 0 || viewer.may('webhooks.replay') ? url : `${url.slice(0, start)}?…`;
}

/** Masks a player in a text. */
export type Mask = <Text extends string | null>(text: Text) => Text;

/**
 * Returns a function that masks an order's player in texts, such as a supplier's message or an operator's note. If a text still has
 * the player in an encoding, the function masks the whole text.
 * @param player null where the player is unknown: then the function masks every text whole.
 */
export function maskOf(player: Player | null, viewer: Viewer): Mask {
  if (player !== null) return maskOfNames(namesOf(player), viewer);
  return viewer.may('players.read') ? (text) => text : whole;
}

/**
 * Like {@link maskOf}, for a player as a supplier writes it by a template: `1234(2001)`, `1234|2001`, `12342001`. The texts may have
 * its parts separately.
 * @param texts the texts that will be masked.
 */
export function maskOfReported(player: string, texts: readonly (string | null)[], viewer: Viewer): Mask {
  const parts = [player, ...player.split(/\s+/u), ...wordsOf(player)];
  const joined = texts.flatMap((text) => wordsOf(text ?? '')).filter((word) => folded(player).includes(folded(word)));
  return maskOfNames(
    [...parts, ...joined].filter((name) => !isTooShortToMask(name)),
    viewer,
  );
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

const whole = <Text extends string | null>(text: Text): Text => (text === null ? text : ('…' as Text));

function maskOfNames(unordered: readonly string[], viewer: Viewer): Mask {
  if (viewer.may('players.read')) return (text) => text;
  const names = unordered.toSorted((one, other) => other.length - one.length);
  if (names.length === 0) return (text) => text;
  const plain = new RegExp(names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'giu');
  const holds = holdsAny(names);
  return <Text extends string | null>(text: Text): Text => {
    if (text === null) return text;
    const rest = text.replace(plain, maskedText);
    return holds(rest) ? whole(text) : (rest as Text);
  };
}

/** The names to mask. A short name is left out, because a mask would show it whole. */
const namesOf = ({ user_id, server_id, character_id }: Player): string[] =>
  [user_id, server_id, character_id].filter((name): name is string => name !== null && !isTooShortToMask(name));

/** Whether a text has one of the words, plain or in an encoding of the web. Very short words count only if they are plain. */
export function holdsAny(words: readonly string[]): (text: string) => boolean {
  const searched = words.map(folded);
  return (text) => {
    const forms = formsOf(text);
    return searched.some((word) =>
      (word.length > UNMASKED_CHARACTERS ? forms : forms.slice(0, 1)).some((each) => each.includes(word)),
    );
  };
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Returns the text first, and then its decoded forms. */
function formsOf(text: string): string[] {
  // HTML forms write a space as a plus.
  const variants = [text, text.replaceAll('+', ' ')];
  const decodedForms = variants.flatMap((each) => layersOf(each)).map(folded);
  const inBase64 = (text.match(/[A-Za-z0-9+/_-]{6,}/g) ?? []).map((word) =>
    Buffer.from(word, 'base64').toString('utf8'),
  );
  return [...decodedForms, ...inBase64.map(folded)];
}

/** Returns the text, and then the text without one, two and three layers of encoding. */
function layersOf(text: string): string[] {
  const layers = [text];
  for (let depth = 0; depth < MAX_ENCODINGS; depth++) layers.push(decoded(layers.at(-1) ?? ''));
  return layers;
}

const ENTITIES: Partial<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Undoes one layer of the escapes of URLs, JSON and HTML. */
const decoded = (text: string): string =>
  text
    .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'))
    .replace(/\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/gi, (all, ...digits: (string | undefined)[]) =>
      characterOf(Number.parseInt(digits.slice(0, 3).join(''), 16), all),
    )
    .replace(/\\(["'/\\])/g, '$1')
    .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, (all, hex?: string, digits?: string) =>
      characterOf(hex === undefined ? Number(digits) : Number.parseInt(hex, 16), all),
    )
    .replace(/&(amp|lt|gt|quot|apos);/gi, (all, name: string) => ENTITIES[name.toLowerCase()] ?? all);

const characterOf = (code: number, otherwise: string): string =>
  code <= 0x10ffff ? String.fromCodePoint(code) : otherwise;
