import { bytesText, Empty, message, tab, timeText, type Page } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import en from '../insight_trash/locales/en.json';
import zh from '../insight_trash/locales/zh-CN.json';
import type { Moved } from './moving';
import styles from './trash.css?inline';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles,
  board: (page) => ({ page }),
  view: ({ page }) => <MovedList page={page} />,
  keys: () => [],
});

/** Lists what was moved since the start of the host. */
function MovedList({ page }: { readonly page: Page }): JSX.Element {
  const { ctx, t: say } = page;
  const moved = useSignal<readonly Moved[] | null>(null);
  const failure = useSignal('');
  const isVisible = page.visible.value;
  useEffect(() => {
    if (!isVisible) return;
    return ctx.generation.subscribe(() => {
      ctx.data.json<{ moved: readonly Moved[] }>('moved', {}, { signal: ctx.signal }).then(
        (answer) => {
          moved.value = answer.moved;
          failure.value = '';
        },
        (cause: unknown) => {
          if (!ctx.signal.aborted) failure.value = say('failure', { reason: message(cause) });
        },
      );
    });
  }, [isVisible]);
  const locale = page.locale.value;
  const { value: rows } = moved;
  return (
    <div class="kit trash" data-ready={rows ? '' : undefined}>
      {failure.value && <p role="alert">{failure.value}</p>}
      <p class="hint">{say('tab.hint')}</p>
      {rows?.length === 0 && <Empty title={say('tab.none')} text={say('tab.none.how')} />}
      {rows && rows.length > 0 && (
        <table>
          <thead>
            <tr>
              {['when', 'run', 'directory'].map((name) => (
                <th key={name}>{say(name)}</th>
              ))}
              <th class="number">{say('files')}</th>
              <th class="number">{say('size')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.at} ${row.run}`} data-moved={row.run}>
                <td>{timeText(row.at, locale)}</td>
                <td>{row.run}</td>
                <td>{row.directory}</td>
                <td class="number">{row.files.toLocaleString(locale)}</td>
                <td class="number">{bytesText(row.bytes, locale)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
