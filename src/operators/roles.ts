import { ROLES, type Role } from '../core/role-names.js';

export { ROLES, type Role };

const EVERYBODY: readonly Role[] = ROLES;

/** All permissions, each with its roles. */
const ROLES_OF = {
  'orders.read': EVERYBODY,
  'webhooks.read': EVERYBODY,
  'merchants.read': EVERYBODY,
  'products.read': EVERYBODY,
  'suppliers.read': EVERYBODY,
  'figures.read': EVERYBODY,
  'players.read': ['support', 'finance', 'admin'],
  'orders.resolve': ['support', 'finance', 'admin'],
  'orders.cancel': ['support', 'finance', 'admin'],
  'codes.reveal': ['support', 'admin'],
  'reversals.close': ['finance', 'admin'],
  'orders.note': ['support', 'catalog', 'finance', 'admin'],
  'webhooks.replay': ['support', 'admin'],
  'webhooks.test': ['support', 'admin'],
  'merchants.suspend': ['support', 'finance', 'admin'],
  'keys.revoke': ['support', 'finance', 'admin'],
  'merchants.create': ['admin'],
  'merchants.edit': ['admin'],
  'keys.issue': ['admin'],
  'keys.rotate': ['admin'],
  'wallets.read': ['support', 'finance', 'admin'],
  'statements.read': ['support', 'finance', 'admin'],
  'wallets.move': ['finance', 'admin'],
  'alerts.set': ['finance', 'admin'],
  'prices.set': ['catalog', 'finance', 'admin'],
  'products.set': ['catalog', 'admin'],
  'products.import': ['catalog', 'admin'],
  'offers.set': ['catalog', 'admin'],
  'suppliers.sync': ['catalog', 'admin'],
  'fx.set': ['finance', 'admin'],
  'suppliers.pause': ['support', 'catalog', 'admin'],
  'suppliers.set': ['admin'],
  'costs.read': ['finance', 'admin'],
  'reports.read': ['finance', 'admin'],
  'reports.run': ['finance', 'admin'],
  'audit.run': ['finance', 'admin'],
  'exports.run': ['support', 'catalog', 'finance', 'admin'],
  /** See {@link readsOwnActionsOnly}. */
  'log.read': ['support', 'catalog', 'finance', 'admin'],
  'deposits.read': ['support', 'finance', 'admin'],
  'payments.decide': ['finance', 'admin'],
  'statements.import': ['finance', 'admin'],
  'channels.set': ['admin'],
  'operators.manage': ['admin'],
  'sessions.manage': ['admin'],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof ROLES_OF;

export const PERMISSIONS = Object.keys(ROLES_OF) as Permission[];

/** The roles that have a permission. */
export const rolesWith = (permission: Permission): readonly Role[] => ROLES_OF[permission];

export const hasPermission = (role: Role, permission: Permission): boolean => rolesWith(permission).includes(role);

/** Whether a role that may read the audit log sees only the operator's own actions. */
export const readsOwnActionsOnly = (role: Role): boolean => role === 'support' || role === 'catalog';

export const permissionsOf = (role: Role): Permission[] =>
  PERMISSIONS.filter((permission) => hasPermission(role, permission));

/** With the rule `money`, a role with one of these permissions needs a second factor. */
const SENSITIVE: readonly Permission[] = [
  ...(['orders.resolve', 'orders.cancel', 'reversals.close', 'wallets.move'] as const),
  ...(['keys.issue', 'keys.rotate', 'keys.revoke', 'suppliers.set'] as const),
  ...(['payments.decide', 'statements.import', 'channels.set'] as const),
  ...(['operators.manage', 'sessions.manage'] as const),
];

/** Values of CONSOLE_REQUIRE_2FA: which operators need a second factor. */
type SecondFactorRule = 'none' | 'money' | 'all';

/** Whether operators of a role need a second factor. */
export function needsSecondFactor(role: Role, rule: SecondFactorRule): boolean {
  if (rule === 'money') return SENSITIVE.some((permission) => hasPermission(role, permission));
  return rule === 'all';
}
