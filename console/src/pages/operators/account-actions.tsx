import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { toast } from '../../kit/toasts';
import { useSession } from '../../session';
import type { Account, Invitation, Role } from './account';
import { useCompany } from '../sign-in/company-button';
import { RoleField } from './invite';
import { LinkShownOnce } from './link-shown-once';

type AccountAction = 'role' | 'company' | 'disable' | 'enable' | 'reset' | 'unlock';

/** What an administrator may do to an account. "My account" has the rest for the administrator's own account. */
export function AccountActions({ account }: { account: Account }): ReactNode {
  const t = useT();
  const isOwn = useSession()?.operator?.id === account.id;
  const [action, setAction] = useState<AccountAction | null>(null);
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const isDisabled = account.state === 'disabled';
  const company = useCompany();
  const actions: readonly (AccountAction | false)[] = [
    'role',
    company !== null && !isDisabled && 'company',
    account.locked_until !== null && 'unlock',
    !isOwn && 'reset',
    !isOwn && (isDisabled ? 'enable' : 'disable'),
  ];
  return (
    <>
      {actions
        .filter((each) => each !== false)
        .map((each) => (
          <Button key={each} size="xs" variant="default" onClick={() => setAction(each)}>
            {t(`operators.do.${each}`)}
          </Button>
        ))}
      {action !== null && (
        <Decide account={account} action={action} onInvited={setInvitation} onClose={() => setAction(null)} />
      )}
      {invitation !== null && <LinkShownOnce invitation={invitation} onClose={() => setInvitation(null)} />}
    </>
  );
}

interface DecideProps {
  account: Account;
  action: AccountAction;
  onInvited: (invitation: Invitation) => void;
  onClose: () => void;
}

function Decide({ account, action, onInvited, onClose }: DecideProps): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const [role, setRole] = useState<Role>(account.role);
  const { id, name } = account;
  const params = { path: { id } };
  const execute = async (reason: string): Promise<void> => {
    if (action === 'reset') {
      onInvited(await ask(() => client.POST('/api/operators/{id}/reset', { params, body: { reason } })));
    } else if (action === 'unlock') {
      await ask(() => client.POST('/api/operators/{id}/unlock', { params, body: { reason } }));
    } else if (action === 'company') {
      await ask(() => client.POST('/api/operators/{id}/company-sign-in', { params, body: { reason } }));
    } else {
      const change = action === 'role' ? { role, expected_role: account.role } : { active: action === 'enable' };
      await ask(() => client.PATCH('/api/operators/{id}', { params, body: { ...change, reason } }));
    }
    toast(t('operators.done', { name }));
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['operators'] }),
      queries.invalidateQueries({ queryKey: ['operator', id] }),
    ]);
  };
  return (
    <Confirm
      title={t('operators.doTo', { what: t(`operators.do.${action}`), name })}
      verb={t(`operators.do.${action}`)}
      requiresReason
      isReady={action !== 'role' || role !== account.role}
      onConfirm={execute}
      onClose={onClose}
    >
      {action === 'role' && <RoleField value={role} onChange={setRole} />}
      <p>{t(`operators.consequence.${action}`, { name, email: account.email, role: t(`role.${role}`) })}</p>
      {action === 'role' && account.company_sign_in && <p>{t('operators.roleOfCompany')}</p>}
    </Confirm>
  );
}
