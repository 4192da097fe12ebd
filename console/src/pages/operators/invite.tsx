import { NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { ROLES, type Invitation, type Role } from './account';

/** Creates an account. A link lets its operator set the password. */
export function Invite({
  onInvited,
  onClose,
}: {
  onInvited: (invitation: Invitation) => void;
  onClose: () => void;
}): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('support');
  const invite = async (): Promise<void> => {
    const body = { email: email.trim(), name: name.trim(), role };
    onInvited(await ask(() => client.POST('/api/operators', { body })));
    await queries.invalidateQueries({ queryKey: ['operators'] });
  };
  return (
    <Confirm
      title={t('operators.invite')}
      verb={t('operators.inviteVerb')}
      isReady={email.includes('@') && name.trim() !== ''}
      onConfirm={invite}
      onClose={onClose}
    >
      <TextInput
        label={t('login.email')}
        type="email"
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <TextInput
        label={t('operators.name')}
        autoComplete="off"
        maxLength={128}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <RoleField value={role} onChange={setRole} />
      <p>{t('operators.inviteConsequence', { role: t(`role.${role}`) })}</p>
    </Confirm>
  );
}

export function RoleField({ value, onChange }: { value: Role; onChange: (role: Role) => void }): ReactNode {
  const t = useT();
  return (
    <NativeSelect
      label={t('operators.role')}
      description={t(`operators.may.${value}`)}
      data={ROLES.map((each) => ({ value: each, label: t(`role.${each}`) }))}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as Role)}
    />
  );
}
