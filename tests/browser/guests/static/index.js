// The guest's end of the channel, from its contract: JSON texts over a port that the parent is given.
const { port1, port2 } = new MessageChannel();
const waiting = new Map();
let last = 0;
const ask = (type) =>
  new Promise((answered) => {
    last += 1;
    waiting.set(last, answered);
    port1.postMessage(JSON.stringify({ type, id: last, payload: null, error: null, isReply: false }));
  });
const show = (name, value) => {
  document.getElementById(name).textContent = typeof value === 'string' ? value : JSON.stringify(value);
};
let reloads = 0;

port1.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.isReply) return waiting.get(message.id)?.(message.error ?? message.payload);
  if (message.type === 'experimental.RunsChanged') show('runs', message.payload);
  if (message.type === 'experimental.DataReloaded') show('reloads', String((reloads += 1)));
  port1.postMessage(JSON.stringify({ ...message, payload: null, isReply: true }));
};
window.parent.postMessage('experimental.bootstrap', '*', [port2]);

export async function render() {
  document.head.insertAdjacentHTML('beforeend', '<meta name="color-scheme" content="light dark">');
  for (const name of ['runs', 'url', 'unknown', 'tags', 'scheme', 'reloads']) {
    document.body.insertAdjacentHTML('beforeend', `<p id="${name}"></p>`);
  }
  document.body.insertAdjacentHTML('beforeend', '<input aria-label="notes"><button>Fail</button><button>Moody</button>');
  for (const button of document.querySelectorAll('button')) {
    button.onclick = () => fetch({ Fail: './fails', Moody: './moody?of=today' }[button.textContent]);
  }
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const scheme = () => show('scheme', dark.matches ? 'dark' : 'light');
  dark.addEventListener('change', scheme);
  scheme();
  show('reloads', '0');
  show('runs', await ask('experimental.GetRuns'));
  show('url', await ask('experimental.GetURLPluginData'));
  show('unknown', await ask('experimental.NobodyKnows'));
  show('tags', await (await fetch('./tags')).json());
}
