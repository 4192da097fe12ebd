/** By what somebody may have come into another operator's account: the link for its password is theirs to give. */
export const HANDED_OVER = {
  'operator.create': 'created',
  'operator.reset': 'reset',
  'operator.enable': 'enabled',
  'operator.set_role': 'gave a role to',
  'operator.allow_company': 'allowed company sign-in for',
} as const;

/** An operator who made an account for another one, or for both. */
export interface Maker {
  maker: string;
  /** The address of that account, the newer one where there are two. */
  account: string;
  created_at: Date;
}

/** What an operator did to another one's account. */
export interface HandOver {
  operator: string;
  action: keyof typeof HANDED_OVER;
  /** The address of that account. */
  account: string;
  created_at: Date;
}
