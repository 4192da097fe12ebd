/** Copies only the named members: an answer must not show a member of a row by accident. */
export function pick<Row extends object, Name extends keyof Row>(row: Row, ...names: Name[]): Pick<Row, Name> {
  const picked = {} as Pick<Row, Name>;
  for (const name of names) picked[name] = row[name];
  return picked;
}

type Without<Members, Absent> = { [Name in keyof Members]?: Exclude<Members[Name], Absent> };

/** Leaves out undefined members, such as members that a request did not name. */
export const withoutUndefined = <Members extends object>(members: Members): Without<Members, undefined> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Without<Members, undefined>;

/** Leaves out null members, such as columns that a row of this kind does not have. */
export const withoutNulls = <Members extends object>(members: Members): Without<Members, null> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as Without<Members, null>;
