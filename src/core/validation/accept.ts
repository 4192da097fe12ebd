import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { isPlainObject, type Class } from './class.js';
import { RULE, type ListRule } from './rule.js';

type Condition = (body: object, value: unknown) => boolean;

export interface Member {
  conditions: Condition[];
  rules: ((value: unknown) => boolean)[];
  /** What a list's elements are made of. */
  element: Plan | null;
  /** How many elements a list may have. */
  maximum: number;
  isNested: boolean;
}

/** A class and the rules of its members, as class-validator knows them. */
export interface Plan {
  shape: Class;
  members: Map<string, Member>;
}

const plans = new Map<Class, Plan | null>();

/**
 * Makes an instance of a value that breaks no rule, without what class-transformer and class-validator spend on finding
 * the rules anew and on preparing errors that are not there. The rules are theirs, gathered once for each class.
 * @returns null where a rule is broken, or the class has rules that are not our own: then the libraries have to look.
 */
export function accept<Shape extends object>(shape: new () => Shape, value: object): Shape | null {
  const plan = planFor(shape);
  return plan && (fill(plan, value) as Shape | null);
}

/** The rules of a class; null where it has some that are not our own. */
export function planFor(shape: Class): Plan | null {
  let plan = plans.get(shape);
  if (plan === undefined) {
    plan = planOf(shape);
    plans.set(shape, plan);
  }
  return plan;
}

function fill({ shape, members }: Plan, value: object): object | null {
  const instance = new shape() as Record<string, unknown>;
  for (const name of Object.keys(value)) {
    const member = members.get(name);
    if (!member) return null;
    const given = (value as Record<string, unknown>)[name];
    const kept = member.element && Array.isArray(given) ? fillList(member, member.element, given) : given;
    if (kept === null && given !== null) return null;
    instance[name] = kept;
  }
  for (const [name, { conditions, rules }] of members) {
    const kept = instance[name];
    const isRuled = conditions.every((condition) => condition(instance, kept));
    if (isRuled && !rules.every((rule) => rule(kept))) return null;
  }
  return instance;
}

function fillList({ maximum }: Member, plan: Plan, values: unknown[]): object[] | null {
  if (values.length > maximum) return null;
  const instances: object[] = [];
  for (const value of values) {
    const instance = isPlainObject(value) ? fill(plan, value) : null;
    if (!instance) return null;
    instances.push(instance);
  }
  return instances;
}

const newMember = (): Member => ({
  conditions: [],
  rules: [],
  element: null,
  maximum: Infinity,
  isNested: false,
});

function planOf(shape: Class): Plan | null {
  const storage = getMetadataStorage();
  const members = new Map<string, Member>();
  for (const rule of storage.getTargetValidationMetadatas(shape, '', false, false)) {
    const { propertyName: name, type } = rule;
    const member = members.get(name) ?? newMember();
    members.set(name, member);
    if (type === ValidationTypes.CONDITIONAL_VALIDATION) {
      member.conditions.push(rule.constraints[0] as Condition);
    } else if (type === ValidationTypes.CUSTOM_VALIDATION && rule.name === RULE && !rule.each) {
      for (const { instance } of storage.getTargetValidatorConstraints(rule.constraintCls))
        member.rules.push((value) => instance.validate(value) === true);
      const [list] = rule.constraints as ListRule[];
      const plan = list && planOf(list.element());
      if (plan === null) return null;
      if (list && plan) Object.assign(member, { element: plan, maximum: list.maximum });
    } else if (type === ValidationTypes.NESTED_VALIDATION) {
      member.isNested = true;
    } else {
      return null;
    }
  }
  const isKnown = [...members.values()].every(({ isNested, element }) => isNested === (element !== null));
  return isKnown && members.size > 0 ? { shape, members } : null;
}
