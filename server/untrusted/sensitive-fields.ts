/** Which fields of a page hold what is not for a guide: passwords, one-time codes, payment, numbers of papers. By their names in many languages. */

/** Words that may stand inside longer ones. */
const ANYWHERE = [
  'passw(?:or|ort)',
  'passwd|passcode|passphrase|kennwort|mot[ _-]?de[ _-]?passe|motdepasse|contrase[nñ]|palavra[ _-]?passe|wachtwoord|lösenord|losenord',
  'adgangskode|passord|salasana|jelszó|jelszo|parol[aăă]|şifre|mật khẩu|kata[ _-]?sandi|has[lł]o|heslo|пароль|парола|κωδικός πρόσβασης|συνθηματικό',
  '密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|รหัสผ่าน|كلمة المرور|كلمة السر|סיסמ[הא]|पासवर्ड|পাসওয়ার্ড|رمز عبور|گذرواژه|пін-код|пин-код',
  'one-time-code|one[ _-]?time[ _-]?(?:code|password)|verification[ _-]?code|einmalcode|bestätigungscode|code de vérification|código de verificación|código de verificação|codice di verifica|verificatiecode|код подтверждения|验证码|驗證碼|確認コード|認証コード|인증번호|인증 코드|رمز التحقق|קוד אימות|mã xác nhận|doğrulama kodu',
  'credit[ _-]?card|card[ _-]?num|cardnumber|cc-?num|kreditkarte|kartennummer|numéro de (?:la )?carte|carte bancaire|n[úu]mero d[eao] (?:la )?(?:tarjeta|cart[ãa]o)|numero (?:della )?carta|kaartnummer|kortnummer|numer karty|номер карты|číslo karty|卡号|卡號|カード番号|카드 ?번호|رقم البطاقة|מספר כרטיס|kart numaras|số thẻ|หมายเลขบัตร|कार्ड नंबर',
  'security[ _-]?code|card[ _-]?verif|sicherheitscode|prüfziffer|kartenprüf|cryptogramme|código de seguridad|código de segurança|codice di sicurezza|beveiligingscode|安全码|セキュリティ ?コード',
  'social[ _-]?security|sozialversicherung|steuer-?id|numéro de sécurité sociale|codice fiscale|burgerservice|national[ _-]?insurance|aadhaar|身份证|マイナンバー|주민등록',
  'secret[ _-]?(?:key|answer|question)|api[ _-]?key|recovery[ _-]?(?:code|phrase)|seed[ _-]?phrase|private[ _-]?key',
].join('|');

/** Short words that count only alone. */
const ALONE =
  'pwd|senha|clave|otp|totp|2fa|mfa|pin|pin-?code|cvv2?|cvc2?|csc|iban|bic|ssn|cpf|dni|nif|bsn|pesel';

const SENSITIVE = new RegExp(
  `${ANYWHERE}|(?<![\\p{L}\\p{N}])(?:${ALONE})(?![\\p{L}\\p{N}])|(?<![\\p{L}\\p{N}])cc-[a-z]|type=["']?password`,
  'iu',
);

const HIDDEN =
  /type=["']?hidden|aria-hidden=["']?true|\[hidden\]|[\s<\w]\shidden(?=[\s>\]=/]|$)|display\s?:\s?none|visibility\s?:\s?hidden|opacity\s?:\s?0(?![.\d])|font-size\s?:\s?0(?![.\d])/i;

export function isSensitiveField(hints: string): boolean {
  return SENSITIVE.test(hints);
}

export function isHiddenElement(hints: string): boolean {
  return HIDDEN.test(hints);
}

const VALUE = /(?<![\w-])(?:value|content|text)\s?[=:]\s?(?:"[^"]*"?|'[^']*'?|[^\s"'>\]]+)/giu;
/** `Password: hunter2`, as a digest of a form may have it. */
const AFTER_NAME = /^([^:=]{1,80}[:=])(\s?)(\S[^\n]*)$/u;
const FIELD = /input|textbox|field|textarea|select|autocomplete|type=/i;

/** A digest without hidden lines, and with the lines of sensitive fields in their place but without their values. */
export function withoutFieldSecrets(digest: string): string {
  return digest
    .split('\n')
    .filter((line) => !isHiddenElement(line))
    .map((line) => (isSensitiveField(line) ? withoutValue(line) : line))
    .join('\n');
}

function withoutValue(line: string): string {
  const emptied = line.replace(VALUE, 'value=""');
  if (emptied !== line || FIELD.test(line)) return emptied;
  const [, name, gap, value] = AFTER_NAME.exec(line) ?? [];
  // A heading or a help text has several words; what somebody typed seldom has.
  if (
    name === undefined ||
    value === undefined ||
    value.split(/\s+/, 3).length > 2 ||
    !isSensitiveField(name)
  )
    return line;
  return `${name}${gap}[secret]`;
}
