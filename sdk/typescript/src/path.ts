/**
 * The path of a resource with a name. HTTP clients resolve `.`, `..` and an empty name, encoded or not, to another path, so the
 * answer would be of another resource. The service gives no resource such a name.
 * @param what the kind of name, for the message. @throws TypeError
 */
export function pathTo(list: string, what: string, name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new TypeError(`${what} must not be "${name}": no URL leads to it`);
  return `${list}/${encodeURIComponent(name)}`;
}
