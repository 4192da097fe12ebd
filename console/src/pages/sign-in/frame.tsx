import { SegmentedControl } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { LANGUAGES, setLanguage, useWords, type Language } from '../../i18n/words';
import { Logo } from '../../shell/logo';
import classes from './frame.module.css';

/** The frame of the forms before sign-in. */
export function Frame({ title, children }: { title: string; children: ReactNode }): ReactNode {
  const { t, language } = useWords();
  useEffect(() => {
    document.title = `${title} · Order Top-up`;
  }, [title]);
  return (
    <main className={classes.frame}>
      <div className={classes.card}>
        <p className={classes.brand}>
          <Logo />
          {t('shell.product')}
        </p>
        <h1>{title}</h1>
        {children}
      </div>
      <SegmentedControl
        size="xs"
        aria-label={t('me.language')}
        value={language}
        onChange={(value) => void setLanguage(value as Language)}
        data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
      />
    </main>
  );
}
