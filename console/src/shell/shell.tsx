import { ActionIcon } from '@mantine/core';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useT } from '../i18n/words';
import { MenuIcon } from '../kit/icons';
import { lazyPart } from '../kit/lazy-part';
import { unreachable } from '../kit/live';
import { isHelpShown, useShortcuts } from '../kit/shortcuts';
import { useStore } from '../kit/store';
import { useSession } from '../session';
import { ConfirmAgain } from './confirm-again';
import { Navigation } from './navigation';
import { SearchField } from './search-field';
import classes from './shell.module.css';

// Pages render without these, so the browser loads them later.
const AccountMenu = lazyPart(async () => (await import('./account-menu')).default);
const ShortcutHelp = lazyPart(async () => (await import('./shortcut-help')).default);

/** The frame of every page, with navigation, search, account menu, and a bar while the API is unreachable. */
export function Shell(): ReactNode {
  const t = useT();
  const session = useSession();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  // The menu belongs to the page where it was opened, so that leaving the page closes it.
  const [menuOpenAt, setMenuOpenAt] = useState<string | null>(null);
  const isMenuOpen = menuOpenAt === pathname;
  const isHelp = useStore(isHelpShown);
  const searchRef = useRef<HTMLInputElement>(null);
  const [focusSearch] = useState(() => () => searchRef.current?.focus());
  useShortcuts(focusSearch);
  if (session === null) return <RedirectToSignIn />;
  return (
    <div>
      <a className={classes.skip} href="#content">
        {t('shell.skip')}
      </a>
      <div className={classes.side} data-open={isMenuOpen}>
        <Navigation />
      </div>
      {isMenuOpen && <div className={classes.shade} aria-hidden="true" onClick={() => setMenuOpenAt(null)} />}
      <div className={classes.main}>
        <div className={classes.bar}>
          <ActionIcon
            className={classes.menu}
            variant="subtle"
            color="gray"
            aria-label={t('shell.navigation')}
            aria-expanded={isMenuOpen}
            onClick={() => setMenuOpenAt(isMenuOpen ? null : pathname)}
          >
            <MenuIcon />
          </ActionIcon>
          <SearchField inputRef={searchRef} />
          <AccountMenu />
        </div>
        <Unreachable />
        <main id="content" tabIndex={-1} className={classes.content}>
          <Outlet />
        </main>
      </div>
      <ConfirmAgain />
      {isHelp && <ShortcutHelp />}
    </div>
  );
}

/** Redirects to the sign-in page once, because the address changes on the way. Sign-in then leads back to this page. */
function RedirectToSignIn(): ReactNode {
  const navigate = useNavigate();
  const [next] = useState(() => window.location.pathname + window.location.search);
  useEffect(() => void navigate({ to: '/login', search: { next } }), [navigate, next]);
  return null;
}

function Unreachable(): ReactNode {
  const t = useT();
  const isUnreachable = useStore(unreachable);
  return <div role="status">{isUnreachable && <p className={classes.unreachable}>{t('shell.unreachable')}</p>}</div>;
}
