/** Copies only the named members: an answer must not show a member of a row by accident. */
export const pick = <Row extends object, Name extends keyof Row>(row: Row, ...names: Name[]): Pick<Row, Name> =>
  Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>;

type Defined<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Leaves out undefined members, such as members that a request did not name. */
export const withoutUndefined = <Members extends object>(members: Members): Defined<Members> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<Members>;
