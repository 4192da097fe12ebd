/** What an operator of the console can be. */
export const ROLES = ['viewer', 'support', 'catalog', 'finance', 'admin'] as const;
export type Role = (typeof ROLES)[number];
