import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { Amount, writeAmount } from '../../kit/amount';
import { ResolveMany } from './resolve-many';
import { othersOf, sumOf, type Choice, type Selection } from './selection';
import classes from './review.module.css';

/** The selected units, their total, and the actions for them. @param shown the units on the page. */
export function SelectionBar({ selection, shown }: { selection: Selection; shown: readonly Choice[] }): ReactNode {
  const t = useT();
  const [isResolving, setResolving] = useState(false);
  const { selected, add, clear } = selection;
  const [first] = selected;
  if (!first) return null;
  const { supplier } = first;
  const finish = (): void => {
    setResolving(false);
    clear();
  };
  const others = othersOf(selection, shown);
  return (
    <div className={classes.selection} role="region" aria-label={t('resolveMany.selection')}>
      <span className={classes.selected} aria-live="polite">
        {t('resolveMany.selected', { count: selected.length })} <Amount value={writeAmount(sumOf(selected))} />
      </span>
      {others.length > 0 && (
        <Button size="xs" variant="subtle" onClick={() => add(others)}>
          {t('resolveMany.allOf', { supplier, count: others.length })}
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={clear}>
        {t('resolveMany.clear')}
      </Button>
      <Button size="xs" onClick={() => setResolving(true)}>
        {t('resolveMany.open')}
      </Button>
      {isResolving && <ResolveMany units={selected} onClose={() => setResolving(false)} onResolved={finish} />}
    </div>
  );
}
