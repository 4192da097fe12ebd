import { planFor, type Member, type Plan } from './accept.js';
import { isPlainObject, type Class } from './class.js';

/** What is kept of all that stands where no object or list belongs: enough to tell what it is. */
const MAX_STRAY_VALUES = 500;

/** What an outline may still take in. */
interface Room {
  unknownMembers: number;
  strayValues: number;
}

/**
 * As much of a value as it takes to say what is wrong with it, so that refusing a body costs what its problems cost and
 * not what its size would. All members that the class knows are in it; of others as many as are told, of a list that is
 * too long only that it is, and of objects and lists where none belong the beginning.
 * @param maxDetails how many problems are told.
 */
export function outlineOf(shape: Class, value: object, maxDetails: number): object {
  const plan = planFor(shape);
  return plan ? outline(plan, value, { unknownMembers: maxDetails, strayValues: MAX_STRAY_VALUES }) : value;
}

function outline({ members }: Plan, value: object, room: Room): object {
  const names = Object.keys(value);
  // These are the first that are told, before any problem of an element.
  const unknown = takeFirst(names, (name) => !members.has(name), room.unknownMembers);
  room.unknownMembers -= unknown.length;
  const kept = {};
  for (const name of unknown) define(kept, name, beginning(valueOf(value, name), room));
  for (const [name, member] of members)
    if (Object.hasOwn(value, name)) define(kept, name, outlineMember(member, valueOf(value, name), room));
  return kept;
}

function outlineMember({ element, maximum }: Member, value: unknown, room: Room): unknown {
  if (element === null || !Array.isArray(value)) return beginning(value, room);
  if (value.length > maximum) return Array.from({ length: maximum + 1 }, () => null);
  return value.map((each: unknown) =>
    isPlainObject(each) ? outline(element, each, room) : beginning(each, room),
  );
}

/** The first values in an object or a list, and in those within it; anything else as it is. */
function beginning(value: unknown, room: Room): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const kept = Array.isArray(value) ? [] : {};
  for (const name in value) {
    if (room.strayValues-- <= 0) break;
    define(kept, name, beginning(valueOf(value, name), room));
  }
  return kept;
}

const valueOf = (of: object, name: string): unknown => (of as Record<string, unknown>)[name];

/** An assignment to `__proto__` would be none. */
const define = (to: object, name: string, value: unknown): void =>
  void Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true });

function takeFirst<Value>(values: Value[], fits: (value: Value) => boolean, count: number): Value[] {
  const taken: Value[] = [];
  for (const value of values) {
    if (taken.length >= count) break;
    if (fits(value)) taken.push(value);
  }
  return taken;
}
