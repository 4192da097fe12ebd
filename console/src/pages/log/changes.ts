/** A member of what an entry of the log says was done. */
export interface Change {
  name: string;
  after: unknown;
  /** What it was until then; undefined where it was not changed, or nobody noted it. */
  before?: unknown;
}

const BEFORE = '_before';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The members of a detail, each with what it was before: as `before` has it for all of them, or for the only one, or
 * `NAME_before` for `NAME`. What did change comes first.
 */
export function changesOf(detail: Readonly<Record<string, unknown>>): Change[] {
  const { before, ...rest } = detail;
  const names = Object.keys(rest).filter((name) => !isBefore(name, rest));
  const earlier = isObject(before) ? before : undefined;
  const gone = Object.keys(earlier ?? {}).filter((name) => !names.includes(name));
  const isAlone = names.length === 1 && 'before' in detail && before !== null && !earlier;
  const changes = [...names, ...gone].map((name): Change => {
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

/** As it stands in a line; null where it takes more than that. */
export function inLine(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
  return isList ? value.join(', ') || '–' : null;
}
