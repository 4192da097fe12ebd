import type { ReactNode } from 'react';
import { Status } from '../../kit/status';
import type { Account } from './account';

/** Whether an account lets its operator in; a lock is what keeps an active one out. */
export function AccountState({ of: { state, locked_until } }: { of: Account }): ReactNode {
  return <Status of={state === 'active' && locked_until !== null ? 'locked' : state} />;
}
