import { useSignal } from '@preact/signals';
import { Empty, message } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ProfilerParts, ViewProps } from './board';
import { same } from './profiles';
import type { ViewName } from './navigation';
import { NotesDialog, ReadingState } from './reading_state';
import { Pages } from './pages';
import { Picker } from './picker';
import { Toolbar } from './toolbar';
import { sentence } from './words';

export function App({ board }: { readonly board: ProfilerParts }): JSX.Element {
  return (
    <div class="kit profiler" data-testid="profiler">
      <div class="head">
        <Toolbar board={board} />
        {board.navigation.views.value.length > 0 && <Pages board={board} />}
      </div>
      <Body board={board} />
      <Dialogs board={board} />
    </div>
  );
}

function Body({ board }: { readonly board: ProfilerParts }): JSX.Element {
  const { t: say } = board.page;
  const retry = (
    <button type="button" data-action="retry" onClick={() => board.profiles.retry()}>
      {say('retry')}
    </button>
  );
  if (board.profiles.listing.value === null) {
    return board.profiles.listFailure.value === null ? (
      <div class="waiting" aria-busy="true" />
    ) : (
      <Empty title={say('failure')} text={board.profiles.listFailure.value}>
        {retry}
      </Empty>
    );
  }
  const missing =
    board.page.allRuns.value.length === 0
      ? 'no_runs'
      : board.profiles.chosen.value === null
        ? board.page.runs.value.length === 0
          ? 'none_selected'
          : 'nothing'
        : null;
  if (missing) return <Empty title={say(`empty.${missing}`)} text={say(`empty.${missing}.text`)} />;
  const { value: profile } = board.profiles.profile;
  if (!profile)
    return board.profiles.failure.value === null ? (
      <div class="waiting" aria-busy="true" />
    ) : (
      <Empty title={say('failure.profile')} text={board.profiles.failure.value}>
        {retry}
      </Empty>
    );
  if (profile.state === 'failed' && profile.failure)
    return (
      <Empty title={say('failure.read')} text={sentence(board, 'failure', profile.failure)}>
        {retry}
      </Empty>
    );
  const { value: view } = board.navigation.view;
  return (
    <>
      <ReadingState board={board} profile={profile} />
      {profile.views.length === 0 ? (
        profile.state === 'reading' ? (
          <div class="waiting" aria-busy="true" />
        ) : (
          <Empty title={say('empty.profile')} text={say('empty.profile.text')} />
        )
      ) : (
        <div
          class={same(profile, board.profiles.chosen.value) ? 'profile-view' : 'profile-view busy'}
          role="tabpanel"
          id="profiler-view"
          aria-label={say(`view.${view}`)}
          data-view={view ?? ''}
        >
          {view && <LazyView key={view} board={board} view={view} />}
        </div>
      )}
    </>
  );
}

const loaded = new Map<ViewName, View>();

function LazyView({ board, view }: { readonly board: ProfilerParts; readonly view: ViewName }): JSX.Element {
  const arrived = useSignal(0);
  const failure = useSignal<string | null>(null);
  const attempt = useSignal(0);
  useEffect(() => {
    if (loaded.has(view)) return;
    let ended = false;
    LOADERS[view]?.()
      .then((module) => {
        loaded.set(view, module.default);
        if (!ended) arrived.value++;
      })
      .catch((error: unknown) => !ended && (failure.value = message(error)));
    return () => void (ended = true);
  }, [attempt.value]);
  void arrived.value;
  const Component = loaded.get(view);
  if (Component) return <Component board={board} />;
  if (failure.value === null) return <div class="waiting" aria-busy="true" />;
  const again = (): void => {
    failure.value = null;
    attempt.value++;
  };
  return (
    <Empty title={board.page.t('failure.view')} text={failure.value}>
      <button type="button" data-action="retry" onClick={again}>
        {board.page.t('retry')}
      </button>
    </Empty>
  );
}

function Dialogs({ board }: { readonly board: ProfilerParts }): JSX.Element | null {
  const { value: dialog } = board.dialog;
  const close = (): void => void (board.dialog.value = null);
  if (dialog === 'notes') return <NotesDialog board={board} onClose={close} />;
  if (dialog === 'profile')
    return (
      <Picker
        board={board}
        name="profile"
        title={board.page.t('picker.title')}
        profiles={board.profiles.listed.value}
        chosen={board.profiles.chosen.value}
        onPick={(profile) => board.navigation.open(profile)}
        onClose={close}
      />
    );
  if (dialog === 'base') {
    const others = (board.profiles.listing.value ?? []).filter(
      (profile) => !same(profile, board.profiles.chosen.value),
    );
    return (
      <Picker
        board={board}
        name="base"
        title={board.page.t('compare.title')}
        profiles={others}
        chosen={board.profiles.base.value}
        onPick={(profile) => board.navigation.compareWith(profile)}
        onClose={close}
      />
    );
  }
  return null;
}

type View = (props: ViewProps) => JSX.Element;

/** The views and where their code is; each is loaded when it is first looked at. */
const LOADERS: Readonly<Partial<Record<ViewName, () => Promise<{ readonly default: View }>>>> = {
  overview: () => import('./overview'),
  calls: () => import('./views/calls'),
  hangs: () => import('./views/hangs'),
  every_step: () => import('./views/every_step'),
  advice: () => import('./advice'),
  operators: () => import('./operators'),
  kernels: () => import('./views/tables').then(({ Kernels }) => ({ default: Kernels })),
  steps: () => import('./views/steps'),
  timeline: () => import('./timeline'),
  memory: () => import('./views/memory'),
  pipeline: () => import('./pipeline'),
  communication: () => import('./views/tables').then(({ Communication }) => ({ default: Communication })),
  cluster: () => import('./cluster'),
  strategy: () => import('./strategy'),
  flops: () => import('./views/flops'),
  shapes: () => import('./views/tables').then(({ Shapes }) => ({ default: Shapes })),
  compare: () => import('./compare'),
};
