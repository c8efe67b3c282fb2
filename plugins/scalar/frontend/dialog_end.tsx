/** The buttons at the end of a form in a dialog. */
import type { Page } from '@insight-host/kit';
import type { JSX } from 'preact';

interface DialogEndProps {
  readonly page: Page;
  readonly onClose: () => void;
}

export function DialogEnd({ page, onClose }: DialogEndProps): JSX.Element {
  return (
    <div class="row end">
      <button type="button" data-action="cancel" onClick={onClose}>
        {page.t('cancel')}
      </button>
      <button type="submit" class="primary" data-action="apply">
        {page.t('apply')}
      </button>
    </div>
  );
}

/** The end of a dialog that has nothing to apply. */
export function DialogClose({ page, onClose }: DialogEndProps): JSX.Element {
  return (
    <div class="row end">
      <button type="button" data-action="cancel" onClick={onClose}>
        {page.t('dialog.close')}
      </button>
    </div>
  );
}
