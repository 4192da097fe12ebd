import type { components } from '../../schema';

export type Account = components['schemas']['AccountDto'];
export type Invitation = components['schemas']['InvitationDto'];
export type Role = Account['role'];

export const ROLES: readonly Role[] = ['viewer', 'support', 'catalog', 'finance', 'admin'];
