/** The roles of operators. */
export const ROLES = ['viewer', 'support', 'catalog', 'finance', 'admin'] as const;
export type Role = (typeof ROLES)[number];
