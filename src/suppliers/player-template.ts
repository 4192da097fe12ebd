import { textProblem } from '../core/text.js';

const PLACEHOLDERS = ['{user}', '{server}', '{character}'];
const PLACEHOLDER = /\{(user|server|character)\}/g;
const MAX_LENGTH = 500;

/** The parts of a player that a template may name. */
interface Player {
  userId: string;
  serverId: string | null;
  characterId: string | null;
}

/** A player as a template such as `{user}|{server}` writes it. Leaves out parts that the player lacks. */
export function writePlayer(template: string, { userId, serverId, characterId }: Player): string {
  const parts: Record<string, string | null> = { user: userId, server: serverId, character: characterId };
  return template.replace(PLACEHOLDER, (_, part: string) => parts[part] ?? '');
}

/** The player as one text without a template: the user, then a space and the server, if any. */
export const usualPlayer = ({ userId, serverId }: Player): string =>
  serverId === null ? userId : `${userId} ${serverId}`;

/** The reason why a supplier that takes the player as one text can't use an offer's template; null if it can. */
export const oneTextProblem = (template: string | null): string | null =>
  template !== null && fieldsOf(template) !== null
    ? 'the supplier takes the player as one text: the offer needs a template such as {user}, not a JSON object'
    : null;

/** The fields of a form, as a JSON template writes the player into them; null for a template of one text. */
export function writePlayerFields(template: string, player: Player): Record<string, string> | null {
  const fields = fieldsOf(template);
  if (fields === null) return null;
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, writePlayer(text, player)]));
}

/**
 * The reason why a text can't be a template; null if it can. A template is one text such as `{user}|{server}`, or a JSON object
 * with one text for each field of a form: `{"User ID":"{user}","Server":"{server}"}`.
 */
export function playerTemplateProblem(template: string): string | null {
  const problem = textProblem(template, 1, MAX_LENGTH);
  if (problem !== null) return problem;
  const fields = fieldsOf(template);
  const texts = fields === null ? [template] : Object.values(fields);
  if (texts.some((text) => /[{}]/.test(text.replace(PLACEHOLDER, '')))) {
    return `must have no placeholders but ${PLACEHOLDERS.join(', ')}`;
  }
  return texts.some((text) => text.includes('{user}')) ? null : 'must contain {user}';
}

/** @returns null for anything but a JSON object of texts. */
function fieldsOf(template: string): Record<string, string> | null {
  let fields: unknown;
  try {
    fields = JSON.parse(template);
  } catch {
    return null;
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return null;
  const isOfTexts = Object.values(fields).every((text) => typeof text === 'string');
  return isOfTexts ? (fields as Record<string, string>) : null;
}
