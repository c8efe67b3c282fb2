/** The pages of a profile: those of every profile as tabs, the rest in a list below More. */
import { Icon, Popover } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ProfilerParts } from './board';
import { PAGES, type ViewName } from './navigation';

/** Tabs of the pages that this profile has something for; one that is chosen below More is a tab as long. */
export function Pages({ board }: { readonly board: ProfilerParts }): JSX.Element {
  const { t: say } = board.page;
  const all = board.navigation.views.value;
  const { value: current } = board.navigation.view;
  const rest = all.filter((view) => !PAGES.includes(view));
  const isFew = rest.length < 2;
  const tabs = all.filter((view) => isFew || !rest.includes(view) || view === current);
  const go = (view: ViewName): void => board.navigation.wanted.set(view, 'push');
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.indexOf(current as ViewName);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    go(next);
    const places = (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role=tab]');
    places[tabs.indexOf(next)]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current, tabs.length]);
  return (
    <nav class="views" aria-label={say('views')} data-views={all.join(' ')}>
      <div ref={list} class="tabs" role="tablist" aria-label={say('views')} onKeyDown={onKeyDown}>
        {tabs.map((view) => (
          <button
            key={view}
            type="button"
            role="tab"
            aria-selected={view === current}
            aria-controls="profiler-view"
            tabIndex={view === current ? 0 : -1}
            data-view={view}
            onClick={() => go(view)}
          >
            {say(`view.${view}`)}
          </button>
        ))}
      </div>
      {!isFew && <More board={board} views={rest.filter((view) => view !== current)} onChoose={go} />}
    </nav>
  );
}

interface MoreProps {
  readonly board: ProfilerParts;
  readonly views: readonly ViewName[];
  readonly onChoose: (view: ViewName) => void;
}

function More({ board, views, onChoose }: MoreProps): JSX.Element {
  const { t: say } = board.page;
  const isOpen = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => void (isOpen.value = false);
  return (
    <>
      <button
        ref={button}
        type="button"
        class="more-views"
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        data-action="more-views"
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {say('views.more')}
        <Icon name="open" />
      </button>
      {isOpen.value && (
        <Popover anchor={button} class="menu" role="menu" label={say('views.more')} side="below-right" onClose={close}>
          {views.map((view) => (
            <button
              key={view}
              type="button"
              role="menuitem"
              tabIndex={-1}
              data-view={view}
              onClick={() => {
                close();
                onChoose(view);
              }}
            >
              {say(`view.${view}`)}
            </button>
          ))}
        </Popover>
      )}
    </>
  );
}
