/** A member of an entry's detail. */
export interface Change {
  name: string;
  after: unknown;
  /** The old value. Absent when the member did not change or no old value was recorded. */
  before?: unknown;
}

const BEFORE = '_before';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The members of a detail with their old values, changed members first. An old value is in the object `before`, in
 * `before` itself when there is only one member, or in `NAME_before` for `NAME`.
 */
export function changesOf(detail: Readonly<Record<string, unknown>>): Change[] {
  const { before, ...rest } = detail;
  const names = Object.keys(rest).filter((name) => !isBefore(name, rest));
  const earlier = isObject(before) ? before : undefined;
  const removed = Object.keys(earlier ?? {}).filter((name) => !names.includes(name));
  const isAlone = names.length === 1 && 'before' in detail && before !== null && !earlier;
  const changes = [...names, ...removed].map((name): Change => {
    const after = rest[name];
    const was = isAlone ? before : (earlier?.[name] ?? rest[`${name}${BEFORE}`]);
    const hasChanged = was !== undefined && JSON.stringify(was) !== JSON.stringify(after);
    return hasChanged ? { name, after, before: was } : { name, after };
  });
  const isKnown = before === undefined || before === null || earlier !== undefined || isAlone;
  const all = isKnown ? changes : [...changes, { name: 'before', after: before }];
  return [...all.filter(({ before: was }) => was !== undefined), ...all.filter((each) => !('before' in each))];
}

const isBefore = (name: string, rest: Readonly<Record<string, unknown>>): boolean =>
  name.endsWith(BEFORE) && name.slice(0, -BEFORE.length) in rest;

/** The value as one line of text. Null when it needs more. */
export function inLine(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
  return isList ? value.join(', ') || '–' : null;
}
