import { Guide, Microphone, useGuide, voice } from '@guidepost/react';
import { StrictMode, Suspense, useEffect, useState } from 'react';

/** The pages of the tests; `scene` selects one. The pages record on `window` what the tests check. */

export function App({ scene, settings }) {
  if (scene === 'hook') return <OwnChat settings={settings} />;
  if (scene === 'suspense')
    return (
      <Suspense fallback={<p>Waiting</p>}>
        <Chat settings={settings}>
          <Sleeper />
        </Chat>
      </Suspense>
    );
  return scene === 'toggled' ? <Toggled settings={settings} /> : <Chat settings={settings} />;
}

export const inStrictMode = (props) => (
  <StrictMode>
    <App {...props} />
  </StrictMode>
);

function Chat({ settings, children }) {
  return (
    <Guide.Root {...settings} voice={voice} labels={LABELS}>
      <main>
        <h1>Help</h1>
        <button type="button" data-gp-target="gift">
          Buy a gift card
        </button>
        <Guide.Status />
        <Guide.Disclosure />
        <Guide.Consent always />
        <Guide.Messages />
        <Guide.Suggestions />
        <Guide.Composer>
          <Guide.Input />
          <Microphone />
          <Guide.Send />
        </Guide.Composer>
        <Probe />
        {children}
      </main>
    </Guide.Root>
  );
}

const LABELS = { send: 'Ask' };

function Probe() {
  const guide = useGuide();
  useEffect(() => {
    window.guide = guide;
  });
  return null;
}

/** A page that renders everything by itself. */
function OwnChat({ settings }) {
  const guide = useGuide(settings);
  useEffect(() => {
    window.guide = guide;
  });
  return (
    <Guide.Root guide={guide}>
      <p data-own-status>{guide.status}</p>
      <ul>
        {guide.messages.map((message) => (
          <li key={message.key}>
            {message.role}: {message.text}
          </li>
        ))}
      </ul>
      <Guide.Messages aria-label="Mine">{(message) => <Guide.Message message={message} />}</Guide.Messages>
      <button type="button" onClick={() => guide.send('How do I return an order?')}>
        Ask
      </button>
    </Guide.Root>
  );
}

function Toggled({ settings }) {
  const [isShown, show] = useState(true);
  return (
    <>
      <button type="button" onClick={() => show(!isShown)}>
        Toggle
      </button>
      {isShown && <Chat settings={settings} />}
    </>
  );
}

let first;
let again;

/** Suspends when it is rendered for the first time, and after a click once more. */
function Sleeper() {
  const [isAsleep, sleep] = useState(false);
  first ??= wait();
  if (!first.isOver) throw first;
  if (isAsleep) {
    again ??= wait();
    if (!again.isOver) throw again;
  }
  return (
    <button type="button" onClick={() => sleep(true)}>
      Sleep
    </button>
  );
}

function wait() {
  const promise = new Promise((resolve) => {
    window.wake = () => {
      promise.isOver = true;
      resolve();
    };
  });
  return promise;
}
