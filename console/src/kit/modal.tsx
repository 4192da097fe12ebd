import type { ModalProps } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useT } from '../i18n/words';
import { lazyPart } from './lazy-part';

/** A dialog. Its code is a third of a page's size limit, so the browser loads it when the first dialog opens. */
export const Modal = lazyPart<ModalProps>(async () => (await import('./modal-part')).default);

interface ActionModalProps extends Pick<ModalProps, 'title' | 'size' | 'onClose' | 'children'> {
  /** Whether it must stay open, as `useIsLocked` says. */
  isLocked: boolean;
}

/** The dialog of an action. On a phone it fills the screen. */
export function ActionModal({ isLocked, ...props }: ActionModalProps): ReactNode {
  const t = useT();
  const isPhone = useMediaQuery('(max-width: 640px)');
  return (
    <Modal
      {...props}
      opened
      fullScreen={isPhone}
      closeOnEscape={!isLocked}
      closeOnClickOutside={!isLocked}
      closeButtonProps={{ 'aria-label': t('action.close'), disabled: isLocked }}
    />
  );
}
