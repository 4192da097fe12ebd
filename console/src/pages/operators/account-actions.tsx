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

type Deed = 'role' | 'company' | 'disable' | 'enable' | 'reset' | 'unlock';

/** What an administrator may do to an account. "My account" has the rest for the administrator's own account. */
export function AccountActions({ account }: { account: Account }): ReactNode {
  const t = useT();
  const isOwn = useSession()?.operator?.id === account.id;
  const [deed, setDeed] = useState<Deed | null>(null);
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const isDisabled = account.state === 'disabled';
  const company = useCompany();
  const deeds: readonly (Deed | false)[] = [
    'role',
    company !== null && !isDisabled && 'company',
    account.locked_until !== null && 'unlock',
    !isOwn && 'reset',
    !isOwn && (isDisabled ? 'enable' : 'disable'),
  ];
  return (
    <>
      {deeds
        .filter((each) => each !== false)
        .map((each) => (
          <Button key={each} size="xs" variant="default" onClick={() => setDeed(each)}>
            {t(`operators.do.${each}`)}
          </Button>
        ))}
      {deed !== null && (
        <Decide account={account} deed={deed} onInvited={setInvitation} onClose={() => setDeed(null)} />
      )}
      {invitation !== null && <LinkShownOnce invitation={invitation} onClose={() => setInvitation(null)} />}
    </>
  );
}

interface DecideProps {
  account: Account;
  deed: Deed;
  onInvited: (invitation: Invitation) => void;
  onClose: () => void;
}

function Decide({ account, deed, onInvited, onClose }: DecideProps): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const [role, setRole] = useState<Role>(account.role);
  const { id, name } = account;
  const params = { path: { id } };
  const carryOut = async (reason: string): Promise<void> => {
    if (deed === 'reset') {
      onInvited(await ask(() => client.POST('/api/operators/{id}/reset', { params, body: { reason } })));
    } else if (deed === 'unlock') {
      await ask(() => client.POST('/api/operators/{id}/unlock', { params, body: { reason } }));
    } else if (deed === 'company') {
      await ask(() => client.POST('/api/operators/{id}/company-sign-in', { params, body: { reason } }));
    } else {
      const change = deed === 'role' ? { role, expected_role: account.role } : { active: deed === 'enable' };
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
      title={t('operators.doTo', { what: t(`operators.do.${deed}`), name })}
      verb={t(`operators.do.${deed}`)}
      requiresReason
      isReady={deed !== 'role' || role !== account.role}
      onConfirm={carryOut}
      onClose={onClose}
    >
      {deed === 'role' && <RoleField value={role} onChange={setRole} />}
      <p>{t(`operators.consequence.${deed}`, { name, email: account.email, role: t(`role.${role}`) })}</p>
      {deed === 'role' && account.company_sign_in && <p>{t('operators.roleOfCompany')}</p>}
    </Confirm>
  );
}
