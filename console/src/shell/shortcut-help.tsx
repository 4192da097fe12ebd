import { Kbd, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT, type Key } from '../i18n/words';
import { hasShortcuts, isHelpShown, setShortcuts } from '../kit/shortcuts';
import { useStore } from '../kit/store';
import { Modal } from '../kit/modal';
import classes from './shortcut-help.module.css';

const KEYS: readonly (readonly [readonly string[], Key])[] = [
  [['/'], 'shortcuts.search'],
  [['g', 'h'], 'shortcuts.home'],
  [['g', 'o'], 'shortcuts.orders'],
  [['g', 'p'], 'shortcuts.products'],
  [['g', 'r'], 'shortcuts.review'],
  [['g', 'm'], 'shortcuts.merchants'],
  [['g', 'd'], 'shortcuts.payments'],
  [['g', 'w'], 'shortcuts.webhooks'],
  [['g', 's'], 'shortcuts.suppliers'],
  [['j'], 'shortcuts.down'],
  [['k'], 'shortcuts.up'],
  [['Enter'], 'shortcuts.open'],
  [['['], 'shortcuts.newer'],
  [[']'], 'shortcuts.older'],
  [['c'], 'shortcuts.copy'],
  [['d'], 'shortcuts.deposit'],
  [['Esc'], 'shortcuts.close'],
  [['?'], 'shortcuts.help'],
];

/** Lists the shortcuts, with a switch that turns off single keys. */
export default function ShortcutHelp(): ReactNode {
  const t = useT();
  const isOn = useStore(hasShortcuts);
  return (
    <Modal
      opened
      onClose={() => isHelpShown.set(false)}
      title={t('shortcuts.title')}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <dl className={classes.keys}>
        {KEYS.map(([keys, what]) => (
          <div key={what} className={classes.key}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{t(what)}</dd>
          </div>
        ))}
      </dl>
      <Switch
        label={t('shortcuts.on')}
        checked={isOn}
        onChange={(event) => setShortcuts(event.currentTarget.checked)}
      />
    </Modal>
  );
}
