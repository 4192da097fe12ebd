/** The parts of a player that a template may name. */
interface Player {
  userId: string;
  serverId: string | null;
  characterId: string | null;
}

/** A player as a template writes it, such as `{user}|{server}`; what the player has not is left out. */
export function writePlayer(template: string, { userId, serverId, characterId }: Player): string {
  const parts: Record<string, string | null> = { user: userId, server: serverId, character: characterId };
  return template.replace(/\{(user|server|character)\}/g, (_, part: string) => parts[part] ?? '');
}
