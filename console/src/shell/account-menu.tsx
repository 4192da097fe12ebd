import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client, isProblem } from '../api';
import { useT } from '../i18n/words';
import { KeyboardIcon, PersonIcon, SignOutIcon } from '../kit/icons';
import { isHelpShown } from '../kit/shortcuts';
import { clearToasts, toastFailure } from '../kit/toast-store';
import { useSession } from '../session';
import classes from './account-menu.module.css';

export default function AccountMenu(): ReactNode {
  const t = useT();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const operator = useSession()?.operator;
  if (!operator) return null;
  const signOut = async (): Promise<void> => {
    try {
      await ask(() => client.DELETE('/api/session'));
    } catch (error) {
      // Without a session, the operator is signed out already.
      if (!isProblem(error, 401)) {
        toastFailure(t('nav.signOutFailed', { why: error instanceof Error ? error.message : String(error) }));
        return;
      }
    }
    queries.clear();
    clearToasts();
    await navigate({ to: '/login', search: {} });
  };
  return (
    <Menu position="bottom-end" width={240} shadow="md">
      <Menu.Target>
        <Button variant="subtle" color="gray" size="sm" className={classes.button} leftSection={<PersonIcon />}>
          <span className={classes.name}>{operator.name}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.who}>
          <div className={classes.fullName}>{operator.name}</div>
          <div className="muted">{operator.email}</div>
          <div className="muted">{t.maybe(`role.${operator.role}`) ?? operator.role}</div>
        </div>
        <Menu.Divider />
        <Menu.Item leftSection={<PersonIcon />} onClick={() => void navigate({ to: '/me' })}>
          {t('nav.me')}
        </Menu.Item>
        <Menu.Item leftSection={<KeyboardIcon />} onClick={() => isHelpShown.set(true)}>
          {t('shortcuts.title')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<SignOutIcon />} onClick={() => void signOut()}>
          {t('nav.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
