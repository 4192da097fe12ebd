import { checked, invalid, type Json, type Shapes } from './shapes.js';

/** Changes of a list of the account by a body of `POST /_sim/account`. */
export interface ListChange<Item> {
  readonly what: string;
  /** The member that identifies an element. */
  readonly key: keyof Item & string;
  readonly shapes: Shapes;
  readonly changes: readonly unknown[] | undefined;
  readonly removed: readonly unknown[] | undefined;
  /** Makes a new element. */
  readonly create: (change: Partial<Item> & Json) => Item;
  /** Checks what the shapes cannot. @throws Invalid */
  readonly check?: (change: Partial<Item>) => void;
}

/** `items` with the changes merged by key. @throws Invalid */
export function changedList<Item extends object>(items: readonly Item[], list: ListChange<Item>): Item[] {
  const { key, what } = list;
  const byKey = new Map<unknown, Item>(items.map((each) => [each[key], each]));
  for (const value of list.changes ?? []) {
    const change = checked<Partial<Item> & Json>(value, what, list.shapes);
    if (change[key] === undefined) throw invalid(`a ${what} needs ${key}`);
    list.check?.(change);
    const before = byKey.get(change[key]);
    byKey.set(change[key], before ? { ...before, ...change } : list.create(change));
  }
  for (const each of list.removed ?? []) byKey.delete(each);
  return [...byKey.values()];
}
