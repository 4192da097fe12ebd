/**
 * The path of what has a name. Every HTTP client takes `.` and `..` there, encoded or not, for the list or what is above it,
 * as it does no name at all: the service gives nothing such a name, and what it answered would be something else.
 * @param what the name is, for the message. @throws TypeError
 */
export function pathTo(list: string, what: string, name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new TypeError(`${what} must not be "${name}": no URL leads to it`);
  return `${list}/${encodeURIComponent(name)}`;
}
