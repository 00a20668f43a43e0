import type { Phrases } from './language.ts';

export const vi: Phrases = {
  greeting: 'Xin chào! Tôi có thể giúp gì cho bạn?',
  thanks: 'Không có gì! Nếu còn câu hỏi nào khác, bạn cứ hỏi nhé.',
  goodbye: 'Tạm biệt! Nếu có thêm câu hỏi, tôi luôn ở đây.',
  praise: 'Rất vui được nghe vậy! Nếu còn câu hỏi nào khác, bạn cứ hỏi nhé.',
  complaint: 'Rất xin lỗi bạn. Bạn hãy cho biết trong một câu đã có chuyện gì, tôi sẽ tìm cách giải quyết.',
  abuse: 'Tôi muốn giúp bạn. Bạn hãy cho biết trong một câu bạn đang tìm gì.',
  identity:
    'Tôi không phải là người. Tôi là trợ lý hướng dẫn tự động: phần mềm trả lời dựa trên các bài viết của trang web này.',
  capabilities:
    'Tôi là trợ lý hướng dẫn tự động của {name}. Tôi trả lời câu hỏi dựa trên các bài viết đã đăng và cho biết mỗi câu trả lời lấy từ đâu.',
  person:
    'Tôi là trợ lý tự động nên không thể chuyển máy cho bạn, nhưng đội ngũ của chúng tôi luôn sẵn lòng giúp đỡ.',
  personUnavailable:
    'Tôi là trợ lý tự động nên rất tiếc không thể chuyển bạn đến nhân viên. Bạn hãy cho biết vấn đề, tôi sẽ tìm câu trả lời.',
  gibberish: 'Tôi chưa hiểu. Bạn có thể đặt câu hỏi bằng vài từ không?',
  order:
    'Tôi chỉ làm đúng nhiệm vụ: trả lời câu hỏi dựa trên các bài viết của trang này. Bạn muốn biết điều gì?',
  page: 'Bạn đang ở trang “{title}”.',
  pageParts: 'Các phần của trang:',
  pageUnknown: 'Tôi không đọc được trang này, nhưng có thể trả lời câu hỏi dựa trên các bài viết.',
  topics: 'Ví dụ, bạn có thể hỏi tôi về:',
  contact: 'Bạn có thể liên hệ với đội ngũ tại đây: {contact}',
  nothingFound: 'Tôi không tìm thấy nội dung nào về điều này trong các bài viết đã đăng.',
  nearest: 'Các chủ đề gần nhất là:',
  unsure: 'Tôi chưa chắc bạn muốn hỏi gì. Có phải một trong những mục này không?',
  refused: 'Tôi không thể trả lời câu này.',
};
