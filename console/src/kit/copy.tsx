import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useT } from '../i18n/words';
import { CheckIcon, CopyIcon } from './icons';

/**
 * Copies a value. @param what names the value for screen readers, such as "order number". @param shortcut a key for it.
 */
export function Copy({ value, what, shortcut }: { value: string; what: string; shortcut?: string }): ReactNode {
  const t = useT();
  const { copied, copy } = useClipboard();
  return (
    <Tooltip label={copied ? t('action.copied') : t('action.copy')} openDelay={300}>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        data-shortcut={shortcut}
        onClick={() => copy(value)}
        aria-label={copied ? t('action.copied') : t('action.copyWhat', { what })}
      >
        {copied ? <CheckIcon /> : <CopyIcon />}
      </ActionIcon>
    </Tooltip>
  );
}

/** A button with a label that copies a text. @param value makes the text when the operator clicks. */
export function CopyText({ value, children }: { value: () => string; children: ReactNode }): ReactNode {
  const t = useT();
  const { copied, copy } = useClipboard();
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={copied ? <CheckIcon /> : <CopyIcon />}
      onClick={() => copy(value())}
    >
      {copied ? t('action.copied') : children}
    </Button>
  );
}
