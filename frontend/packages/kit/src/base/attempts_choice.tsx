import type { JSX } from 'preact';
import { Choice } from './choice';
import type { Page, Setting } from './page';

/** The toolbar's choice of what a restart hides; show it where there are restarts. */
export function AttemptsChoice({
  page,
  setting,
}: {
  readonly page: Page;
  readonly setting: Setting<'last' | 'all'>;
}): JSX.Element {
  return (
    <Choice say={page.t} name="attempts" label={page.t('attempts.label')} values={['last', 'all']} setting={setting} />
  );
}
