import { getMetadataStorage, registerDecorator, ValidationTypes } from 'class-validator';
import type { DetailCode } from '../errors.js';

/** The class of a body or a query. */
export type Class = new () => object;

export const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Why a member is refused: the detail's code, and the words after the member's path in the message. */
export interface Problem {
  code: DetailCode;
  words: string;
}

export interface MemberRule {
  /** @returns the first problem of a value, or null. The value of an absent member is `undefined`. */
  check: (value: unknown) => Problem | null;
  /** For a list of objects, their class. */
  element?: Class;
  /** Problems inside a value that passed `check`, each with its path within the member, such as `.color`. */
  inside?: (value: unknown) => Iterable<[path: string, problem: Problem]>;
}

/** The rules of a class, collected once. */
interface ClassRules {
  /**
   * The rule of each member, in the order of declaration, with the parent class's members after the class's own. Members that
   * only class-validator checks come last, with empty rules.
   */
  members: Map<string, MemberRule>;
  /** Members with class-validator's own rules, which only class-validator can check. */
  foreign: Set<string>;
}

/** The name of our rules in class-validator. */
export const OWN_RULE = 'rule';

/** Registers a rule in class-validator. Such a rule can refuse a value for several reasons, each with its own code. */
export function Rule(rule: MemberRule): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: OWN_RULE,
      constraints: [rule],
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value) => rule.check(value) === null,
        defaultMessage: (args) => `${args?.property} ${rule.check(args?.value)?.words ?? 'is not valid'}`,
      },
    });
  };
}

const collected = new Map<Class, ClassRules>();

/** The rules that the decorators of a class have registered. */
export function rulesOf(shape: Class): ClassRules {
  let rules = collected.get(shape);
  if (!rules) {
    rules = collect(shape);
    collected.set(shape, rules);
  }
  return rules;
}

function collect(shape: Class): ClassRules {
  const rules: ClassRules = { members: new Map(), foreign: new Set() };
  const registered = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  for (const { type, name, propertyName, constraints } of registered) {
    const isOwn = type === ValidationTypes.CUSTOM_VALIDATION && name === OWN_RULE;
    if (isOwn) rules.members.set(propertyName, constraints[0] as MemberRule);
    else rules.foreign.add(propertyName);
  }
  for (const name of rules.foreign) if (!rules.members.has(name)) rules.members.set(name, { check: () => null });
  return rules;
}
