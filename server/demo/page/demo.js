// The page's own behaviour: a language switch and controls that respond.

const language = new URLSearchParams(location.search).get('lang');
const script = document.querySelector('script[data-gp-app]');
if (language && /^[A-Za-z-]{2,16}$/.test(language)) {
  document.documentElement.lang = language;
  script.dataset.gpLang = language;
  document.querySelector(`.languages a[hreflang="${language}"]`)?.setAttribute('aria-current', 'true');
} else script.dataset.gpLang ??= navigator.language;

for (const button of document.querySelectorAll('[data-question]'))
  button.addEventListener('click', () => window.Guidepost?.open(button.textContent));

const outcome = document.querySelector('#outcome');
for (const button of document.querySelectorAll('#quick-settings button'))
  button.addEventListener('click', () => {
    outcome.textContent = `“${button.textContent}” would open here.`;
  });

document.querySelector('#contact-form').addEventListener('submit', (event) => {
  event.preventDefault();
  event.target.reset();
});
